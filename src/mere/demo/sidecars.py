"""How are tables described?  One folder for each of four usual formats.

sales/          datapackage.json             Frictionless Data Package
finance/        x.csv-metadata.json          CSV on the Web (W3C)
telemetry/      README.md                    prose
health/         croissant.json               Croissant (MLCommons), JSON-LD
"""

from __future__ import annotations

from mere.demo.encode import Files, as_json


def company_files() -> Files:
    yield "sales/datapackage.json", as_json(_DATA_PACKAGE)
    yield "finance/revenue_by_country_year.csv-metadata.json", as_json(_CSVW)
    yield "telemetry/README.md", _TELEMETRY.encode()


def open_data_files(packages: list[str]) -> Files:
    yield "health/croissant.json", as_json(_CROISSANT)
    credits = "".join(f"- `{name}`\n" for name in packages) or "- none was installed\n"
    yield "README.md", (_OPEN_DATA + credits).encode()


def _resource(path: str, title: str, description: str, **fields: str) -> dict[str, object]:
    columns = [{"name": name, "description": text} for name, text in fields.items()]
    name = path.split("/")[-1].split(".")[0].lower()
    return {
        "name": name,
        "path": path,
        "title": title,
        "description": description,
        "schema": {"fields": columns},
    }


_DATA_PACKAGE = {
    "name": "harbour-vale-sales",
    "title": "Sales of Harbour & Vale Trading",
    "description": "Everything the tills and the web shop recorded in 2024. Fictional.",
    "licenses": [{"name": "CC0-1.0"}],
    "resources": [
        _resource("customers.csv", "Customers", "Buyers with home town and segment",
                  customer_id="C and five digits", country="home country, ISO 3166 alpha-2",
                  since="first purchase"),
        _resource("products.csv", "Products", "What we sell: furniture, kitchen ware, textiles, lighting",
                  sku="stock keeping unit, three digits", unit_price="in euro, before tax"),
        _resource("orders/orders_2024-01.csv", "Orders of January 2024", "One line per order",
                  order_id="SO- and a number", store_id="the shop that took the order"),
        _resource("order_lines.parquet", "Order lines", "One line per product of an order",
                  order_id="the order", sku="the product"),
        _resource("stores.csv", "Stores", "Shops in the United States", state="postal code of the state"),
    ],
}  # fmt: skip

_CSVW = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "revenue_by_country_year.csv",
    "dc:title": "Revenue by country and year",
    "dc:description": "Turnover per destination country, in euro, since 2008. Fictional.",
    "dc:license": "https://creativecommons.org/publicdomain/zero/1.0/",
    "tableSchema": {
        "columns": [
            {
                "name": "country",
                "titles": "country",
                "datatype": "string",
                "dc:description": "English short name",
            },
            {"name": "year", "titles": "year", "datatype": "gYear"},
            {"name": "revenue", "titles": "revenue", "datatype": "decimal", "dc:description": "euro"},
        ],
        "primaryKey": ["country", "year"],
    },
}

_TELEMETRY = """# Warehouse telemetry

Temperature and relative humidity in the twelve warehouses, one file per month.
`sensors.csv` says at which site a sensor hangs, `calibration.json` by how much it is off (degrees Celsius).
The numbers are made up.
"""

_OPEN_DATA = """# Open data

Codes and names of countries, cities and states are real. Clinics, sport, culture and energy are made up,
except for the tables copied from these Python packages, whose licences and sources they document:

"""


def _field(table: str, column: str, data_type: str, description: str) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column}",
        "name": column,
        "description": description,
        "dataType": f"sc:{data_type}",
        "source": {"fileObject": {"@id": table}, "extract": {"column": column}},
    }


_CROISSANT = {
    "@context": {
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
    },
    "@type": "sc:Dataset",
    "conformsTo": "http://mlcommons.org/croissant/1.0",
    "name": "hospital admissions",
    "description": "Admissions of a northern clinic where students and pensioners meet. Fictional.",
    "license": "https://creativecommons.org/publicdomain/zero/1.0/",
    "distribution": [
        {
            "@type": "cr:FileObject",
            "@id": "clinic_north_patients.csv",
            "name": "clinic_north_patients.csv",
            "contentUrl": "clinic_north_patients.csv",
            "encodingFormat": "text/csv",
        }
    ],
    "recordSet": [
        {
            "@type": "cr:RecordSet",
            "name": "patients",
            "field": [
                _field("clinic_north_patients.csv", "age", "Integer", "Age at admission, in years"),
                _field("clinic_north_patients.csv", "diagnosis", "Text", "Main diagnosis"),
                _field("clinic_north_patients.csv", "nights", "Integer", "Nights spent in the ward"),
            ],
        }
    ],
}
