"""Trains the network of the learned estimator of `mere assemble`.

    python training/assemble_train.py TABLES.npz WEIGHTS.safetensors [--steps N] [--minutes M] [--batch B] [--loss log]

TABLES.npz is what `assemble_prepare.py` wrote.  Needs torch, NumPy and safetensors only; runs on a GPU if there is one.
Every sixth table is held out: the errors that are printed are those on questions about these.  The learning rate falls
to zero as the steps, or the minutes, come to an end, whichever is first.  Without --minutes it depends on the steps
alone, so that a run can be repeated on another machine; the default is the number of steps of the packaged weights.

    --loss fraction   the mean square of estimate - truth: the paper's
    --loss log        that, and a fifth of the mean square of log((estimate + 0.001) / (truth + 0.001)), because it is
                      ratios that matter where few rows meet a query; the default
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
import time
from pathlib import Path

import numpy as np
import torch
from assemble_questions import PARTS, TIGHT, WIDE, Drawing, Questions, Tables
from safetensors.numpy import save_file
from torch.nn.functional import relu

SEED = 14
STEPS = 13_365  # of the packaged weights
WARM_UP, REPORT = 500, 500
FLOOR = 1e-3
KEPT = 0.999  # of the running mean of the weights, per step
Weights = dict[str, torch.Tensor]


def _network_module():
    """The NumPy forward pass: the module needs nothing of its package."""
    path = Path(__file__).resolve().parent.parent / "src/mere/bundles/learned/network.py"
    spec = importlib.util.spec_from_file_location("network", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["network"] = module
    spec.loader.exec_module(module)
    return module


network = _network_module()
SETS, WIDTH, CELL = network.SETS, network.WIDTH, network.CELL


def first_weights(generator: torch.Generator) -> Weights:
    """Layers keep the size of what goes through them; a fold starts as a sum, a merge as a mean."""
    weights = {}
    for name, shape in network.SHAPES.items():
        scale = math.sqrt(2 / shape[0]) if len(shape) == 2 else 0.0
        weights[name] = scale * torch.randn(shape, generator=generator)
    rank = torch.arange(network.CODES)[:, None] / network.CODES
    turns = rank * 2 ** torch.linspace(-1, 5, CELL // 2) * 2 * math.pi
    weights["cell"] = torch.cat([turns.sin(), turns.cos()], dim=1) + 0.1 * weights["cell"]
    for name, size in (("table", SETS * WIDTH), ("query", 2 * SETS * WIDTH)):
        weights[f"{name}.weight"][:size] *= 0.5
        weights[f"{name}.weight"][size:] = 0.1 * weights[f"{name}.weight"][size:] + 0.8 * torch.eye(size)
    weights["merge.weight"] = 0.5 * torch.eye(WIDTH).repeat(2, 1)
    weights["output.weight"] *= 0.3
    return weights


def embed(weights: Weights, codes: torch.Tensor) -> torch.Tensor:
    """The embeddings of rows; (..., 2) -> (..., WIDTH).  As a product of indicators: its gradient is one, too."""
    cells = torch.cat([weights["cell"], weights["cell"].new_zeros(1, CELL)])
    per_code = torch.cat([cells @ weights["row.weight"][:CELL], cells @ weights["row.weight"][CELL:]])
    numbers = torch.arange(network.CODES + 1, device=codes.device, dtype=torch.uint8)
    indicator = (codes[..., None] == numbers).flatten(-2).to(per_code.dtype)
    return relu(indicator @ per_code + weights["row.bias"])


def fold(weights: Weights, name: str, embeddings: torch.Tensor, has_query: torch.Tensor) -> torch.Tensor:
    """(batch, queries, size) -> (batch, size)."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    size = embeddings.shape[2]
    added = embeddings @ weight[:size] + bias
    state = embeddings[:, 0]
    for place in range(1, embeddings.shape[1]):
        state = torch.where(has_query[:, place, None], relu(torch.addmm(added[:, place], state, weight[size:])), state)
    return state


def layer(weights: Weights, name: str, values: torch.Tensor) -> torch.Tensor:
    return values @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def logits(weights: Weights, questions: Questions, summaries: torch.Tensor) -> torch.Tensor:
    """The estimates before the sigmoid: `summaries` is (tables, batch, sets, WIDTH)."""
    low, high = embed(weights, questions.low), embed(weights, questions.high)
    corners = _per_query(torch.cat([low, high], dim=3), questions)
    queries = fold(weights, "query", corners, questions.has_query)
    batch, count = summaries.shape[1], questions.low.shape[1]
    per_query = [_per_query(table[:, None].expand(-1, count, -1, -1), questions) for table in summaries]
    has_query = questions.has_query.repeat(len(summaries), 1)
    tables = fold(weights, "table", torch.cat(per_query), has_query).reshape(len(summaries), batch, -1)
    product = relu(layer(weights, "first", tables)) * relu(layer(weights, "second", queries))
    return layer(weights, "output", relu(layer(weights, "hidden", product)))[..., 0]


def _per_query(embeddings: torch.Tensor, questions: Questions) -> torch.Tensor:
    """The embeddings of the sets that a query uses, side by side: (batch, queries, SETS * size)."""
    size = embeddings.shape[3]
    picked = embeddings.gather(2, questions.chosen[..., None].expand(-1, -1, -1, size))
    return (picked * questions.has_set[..., None]).flatten(2)


def summarise(weights: Weights, questions: Questions) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Embeddings of the parts, of their unions, and of these as merged step by step; (..., batch, sets, WIDTH)."""
    rows = embed(weights, questions.rows.transpose(1, 2))  # batch, sets, rows, WIDTH
    shares = torch.cat([questions.parts, questions.unions], dim=1)[:, None]
    means = (shares @ rows).permute(2, 0, 1, 3)
    parts, unions = means[:PARTS], means[PARTS:]
    merged, state = [], parts[0].detach()
    for part in parts[1:]:
        state = relu(layer(weights, "merge", torch.cat([state, part.detach()], dim=-1)))
        merged.append(state)
    return parts, unions, torch.stack(merged)


def losses(weights: Weights, questions: Questions, kind: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of the estimates, and that of the merges."""
    parts, unions, merged = summarise(weights, questions)
    estimates = torch.sigmoid(logits(weights, questions, torch.stack([parts[0], unions[-1], merged[-1]])))
    truth = torch.stack([questions.part_truth[:, 0], *2 * [questions.union_truth[:, -1]]])
    square = (estimates - truth) ** 2
    if kind == "log":
        square = square + 0.2 * torch.log((estimates + FLOOR) / (truth + FLOOR)) ** 2
    target = unions.detach()
    spread = target.var(dim=1, keepdim=True).mean() + 1e-6
    return square.mean(), ((merged - target) ** 2).mean() / spread


def q_errors(weights: Weights, batches: list[Questions]) -> tuple[np.ndarray, np.ndarray]:
    """Of the first part, and of the union of all as merged, where at least one row meets a query."""
    alone, together = [], []
    with torch.no_grad():
        for questions in batches:
            parts, _, merged = summarise(weights, questions)
            estimates = torch.sigmoid(logits(weights, questions, torch.stack([parts[0], merged[-1]])))
            for errors, estimate, truth in zip((alone, together), estimates,
                                               (questions.part_truth[:, 0], questions.union_truth[:, -1]),
                                               strict=True):  # fmt: skip
                ratio = (estimate.clamp(min=1e-4) / truth)[truth > 0]
                errors.append(torch.maximum(ratio, 1 / ratio).cpu().numpy())
    return np.concatenate(alone), np.concatenate(together)


def report(weights: Weights, validation: dict[str, list[Questions]]) -> str:
    words = []
    for style, batches in validation.items():
        for name, errors in zip(("table", "union"), q_errors(weights, batches), strict=True):
            middle, high, worst = np.percentile(errors, [50, 90, 99])
            words.append(f"{style} {name} {middle:.3f} {high:.2f} {worst:.1f}")
    return "  ".join(words)


def difference(weights: Weights, questions: Questions) -> float:
    """The largest difference between the estimates of torch and of NumPy, over the questions of a batch."""
    net = network.Network({name: tensor.float().cpu().numpy() for name, tensor in weights.items()})
    parts, _, _ = summarise(weights, questions)
    expected = torch.sigmoid(logits(weights, questions, parts[:1]))[0].cpu().numpy()
    most = 0.0
    for i in range(len(expected)):
        rows = questions.rows[i].cpu().numpy()[questions.parts[i, 0].cpu().numpy() > 0]
        sets = [net.mean_embedding(rows[:, place]) for place in range(rows.shape[1])]
        tables, queries = [], []
        for place in np.flatnonzero(questions.has_query[i].cpu().numpy()):
            used = questions.chosen[i, place][questions.has_set[i, place]].tolist()
            low, high = (corner[i, place].cpu().numpy() for corner in (questions.low, questions.high))
            corners = [net.embed_rows(corner[used]) for corner in (low, high)]
            tables.append(np.pad(np.concatenate([sets[j] for j in used]), (0, (SETS - len(used)) * WIDTH)))
            queries.append(np.pad(np.concatenate(corners, axis=1).ravel(), (0, (SETS - len(used)) * 2 * WIDTH)))
        found = net.fraction(net.fold_tables(np.stack(tables)[None]), net.fold_queries(np.stack(queries)))
        most = max(most, abs(float(found[0]) - float(expected[i])))
    return most


def train(options: argparse.Namespace) -> None:
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    names, tables = Tables.read(options.tables, device)
    held_out = [i for i in range(len(names)) if i % 6 == 2]
    print(f"{len(names)} tables on {device}; held out: {', '.join(names[i] for i in held_out)}", flush=True)
    kept = torch.tensor([i for i in range(len(names)) if i not in held_out], device=device)
    drawing = Drawing(tables, kept, torch.Generator(device).manual_seed(SEED), options.rows, options.truth_rows)
    unseen = torch.tensor(held_out, device=device)
    validation = {}
    for word, style in (("wide", WIDE), ("tight", TIGHT)):
        generator = torch.Generator(device).manual_seed(SEED + 1)
        drawn = Drawing(tables, unseen, generator, options.rows, options.truth_rows, style)
        validation[word] = [drawn.draw(options.batch) for _ in range(4)]
    print("q-errors (median, 90 %, 99 %) of the constant 1:  " + "  ".join(
        f"{word} {_constant(batches)}" for word, batches in validation.items()), flush=True)  # fmt: skip
    weights = {name: tensor.to(device).requires_grad_()
               for name, tensor in first_weights(torch.Generator().manual_seed(SEED)).items()}  # fmt: skip
    mean = _steps(weights, drawing, validation, options)
    rounded = {name: tensor.half().float() for name, tensor in mean.items()}
    torch.set_float32_matmul_precision("highest")
    print(f"saved:  {report(rounded, validation)}")
    print(f"largest difference of estimates, torch and NumPy: {difference(rounded, validation['tight'][0]):.2e}")
    save_file({name: tensor.half().cpu().numpy() for name, tensor in mean.items()}, options.weights)


def _steps(weights: Weights, drawing: Drawing, validation: dict, options: argparse.Namespace) -> Weights:
    """Trains the weights; returns their running mean."""
    mean = {name: tensor.detach().clone() for name, tensor in weights.items()}
    optimiser = torch.optim.AdamW(list(weights.values()), lr=options.rate, weight_decay=1e-4)
    started, totals = time.monotonic(), []
    for step in range(options.steps):
        done = max(step / options.steps, (time.monotonic() - started) / 60 / options.minutes)
        if done >= 1:
            print(f"the time is over after {step} steps")
            break
        optimiser.param_groups[0]["lr"] = (
            options.rate * min(1, (step + 1) / WARM_UP) * (1 + math.cos(math.pi * done)) / 2
        )
        estimate, merge = losses(weights, drawing.draw(options.batch), options.loss)
        optimiser.zero_grad()
        (estimate + 0.1 * merge).backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
        optimiser.step()
        totals.append(torch.stack([estimate, merge]).detach())
        with torch.no_grad():
            keep = min(KEPT, (step + 1) / (step + 10))
            for name, tensor in weights.items():
                mean[name].lerp_(tensor, 1 - keep)
        if (step + 1) % options.report == 0:
            loss = torch.stack(totals[-options.report :]).mean(dim=0).tolist()
            print(f"step {step + 1}  {time.monotonic() - started:.0f} s  loss {loss[0]:.4f}  merge {loss[1]:.4f}  "
                  f"{report(mean, validation)}", flush=True)  # fmt: skip
    return mean


def _constant(batches: list[Questions]) -> str:
    truth = torch.cat([questions.part_truth[:, 0] for questions in batches])
    return " ".join(f"{value:.2f}" for value in np.percentile(1 / truth[truth > 0].cpu().numpy(), [50, 90, 99]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables")
    parser.add_argument("weights")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--truth-rows", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--loss", choices=("log", "fraction"), default="log")
    parser.add_argument("--report", type=int, default=REPORT)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
