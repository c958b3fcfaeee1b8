"""Sales of three cafés as a small API; its documentation is at docs."""

import csv
from collections import defaultdict
from pathlib import Path

from fastapi import FastAPI, HTTPException

app = FastAPI(title="Café sales", description="Two years of invented sales of three cafés.")

with (Path(__file__).parent / "data.csv").open(newline="", encoding="utf-8") as file:
    SALES = [
        {**row, "units": int(row["units"]), "revenue": float(row["revenue"])} for row in csv.DictReader(file)
    ]


@app.get("/")
def about():
    """What there is."""
    return {"rows": len(SALES), "shops": sorted({row["shop"] for row in SALES}), "documentation": "docs"}


@app.get("/shops")
def shops():
    """Units and revenue of every café."""
    return total("shop", SALES)


@app.get("/shops/{shop}/months")
def months(shop: str, drink: str = ""):
    """Units and revenue of one café by month, of all drinks or one."""
    chosen = [row for row in SALES if row["shop"] == shop and drink in ("", row["drink"])]
    if not chosen:
        raise HTTPException(404, f"There are no sales of {drink or 'anything'} at {shop}.")
    return total("month", chosen)


def total(key, rows):
    sums = defaultdict(lambda: {"units": 0, "revenue": 0.0})
    for row in rows:
        sums[row[key]]["units"] += row["units"]
        sums[row[key]]["revenue"] += row["revenue"]
    return [{key: name, **values, "revenue": round(values["revenue"], 2)} for name, values in sums.items()]
