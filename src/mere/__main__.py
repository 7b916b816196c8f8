"""`python -m mere` is the program `mere`."""

from mere.cli import main

if __name__ == "__main__":
    main()
