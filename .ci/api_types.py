"""Writes the types of what the API answers and takes, for the pages' JSDoc, from the OpenAPI document: to stdout."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

from companion.server.api.openapi import document
from companion.server.app import APIS

# Of a field that holds more names than these (the cards), only that they are names is checked.
_MOST_NAMES = 20

# What the document leaves open, as the pages know it.
_OPEN = {
    "move": 'import("./types").Move',
    "effects": 'Array<import("./types").Effect>',
    "last": 'import("./types").Wishes',
}


def kind(schema: dict[str, Any]) -> str:
    """Return a schema as TypeScript writes it."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
    if len(schema.get("enum", ())) > _MOST_NAMES:
        return "string"
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(kind(one) for one in schema[key]))
    match schema.get("type"):
        case "array":
            if "prefixItems" in schema:
                return f"[{', '.join(kind(one) for one in schema['prefixItems'])}]"
            return f"Array<{kind(schema.get('items', {}))}>"
        case "object" if "properties" not in schema:
            more = schema.get("additionalProperties")
            return f"Record<string, {kind(more) if isinstance(more, dict) else 'unknown'}>"
        case "object":
            return f"{{ {' '.join(fields(schema))} }}"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null":
            return str(schema["type"])
    return "unknown"


def fields(schema: dict[str, Any]) -> list[str]:
    """Return the fields of an object's schema, each as TypeScript writes it."""
    found = []
    for name, value in schema["properties"].items():
        key = name if name.isidentifier() else json.dumps(name)
        optional = "" if name in schema.get("required", []) else "?"
        written = kind(value)
        found.append(f"{key}{optional}: {_OPEN.get(name, written) if 'unknown' in written else written};")
    return found


def body(operation: dict[str, Any]) -> str:
    """Return what an operation takes besides its path, as the parameter of a function; none where it takes nothing."""
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return ", body: FormData"
    if "application/json" in content:
        return f", body: {kind(content['application/json']['schema'])}"
    return ", body: Blob" if content else ""


def calls(paths: dict[str, Any], method: str) -> list[str]:
    """Return a signature for each path that this method asks for JSON or nothing.

    The first one that fits counts: addresses in full come before patterns, and patterns with an open end last.
    """
    found = []
    for path, operations in paths.items():
        if method not in operations:
            continue
        done = operations[method]["responses"]
        content = done.get("200", {}).get("content", {})
        if "204" not in done and "application/json" not in content:
            continue
        answer = kind(content["application/json"]["schema"]) if content else "null"
        pattern = re.sub(r"\{\w+\}", "${string}", path)
        address = f"`{pattern}`" if pattern != path else json.dumps(path)
        if any(one["in"] == "query" for one in operations[method].get("parameters", [])):
            address += f" | `{pattern}?${{string}}`"
        found.append(f"(path: {address}{body(operations[method])}): Promise<{answer}>;")
    return sorted(found, key=lambda one: ("`" in one, "/${string}`)" in one or "/${string}`," in one))


def main() -> None:
    """Write one type for each schema of the document, and one for each method with all that it may ask for."""
    found = document(chain(*APIS), "0")
    for name, schema in found["components"]["schemas"].items():
        print(f"export type {name} = {kind(schema)};")
    for method in ("get", "post", "delete"):
        print(f"export type {method.capitalize()} = {{ {' '.join(calls(found['paths'], method))} }};")


if __name__ == "__main__":
    main()
