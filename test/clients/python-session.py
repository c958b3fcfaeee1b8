"""Runs Python sources from its input, one JSON string a line; prints the value of the last expression as JSON."""

import ast
import json
import sys

answers, sys.stdout = sys.stdout, sys.stderr
scope = {}


def run(source):
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<test>", "exec"), scope)
    return None if last is None else eval(compile(ast.Expression(last.value), "<test>", "eval"), scope)


for line in sys.stdin:
    try:
        answer = {"value": run(json.loads(line))}
        text = json.dumps(answer, default=str)
    except Exception as error:
        text = json.dumps({"error": f"{type(error).__name__}: {error}"})
    print(text, file=answers, flush=True)
