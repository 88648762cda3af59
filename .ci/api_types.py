"""Writes the types of what the API answers and takes, for the pages' JSDoc, from the OpenAPI document: to stdout."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

from companion.server.app import APIS
from companion.server.routes.openapi import document


def kind(schema: dict[str, Any]) -> str:
    """Return a schema as TypeScript writes it."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
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
            return f"Record<string, {kind(more) if isinstance(more, dict) else 'any'}>"
        case "object":
            return f"{{ {' '.join(fields(schema))} }}"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null":
            return str(schema["type"])
    return "any"


def fields(schema: dict[str, Any]) -> list[str]:
    """Return the fields of an object's schema, each as TypeScript writes it."""
    found = []
    for name, value in schema["properties"].items():
        key = name if name.isidentifier() else json.dumps(name)
        optional = "" if name in schema.get("required", []) else "?"
        found.append(f"{key}{optional}: {kind(value)};")
    return found


def main() -> None:
    """Write one type for each schema of the document."""
    found = document(chain(*APIS), "0")
    for name, schema in found["components"]["schemas"].items():
        print(f"export type {name} = {kind(schema)};")


if __name__ == "__main__":
    main()
