# Checks a manifest against the fields of a custom resource (tests/data/kubeflow): FIELDS.json MANIFEST.yaml.
# --list CRD.yaml prints the fields of a CRD in this form; --crd CRD.yaml MANIFEST.yaml checks against the CRD itself.
import json
import sys

import yaml

TYPES = {"string": str, "integer": int, "boolean": bool, "number": (int, float), "object": dict,
         "int-or-string": (int, str), "any": object}


def listed(schema):
    """The fields of a part of a CRD's schema."""
    if schema.get("x-kubernetes-int-or-string"):
        return "int-or-string"
    if "properties" in schema:
        fields = {name: listed(field) for name, field in schema["properties"].items()}
        if schema.get("required"):
            fields["!"] = " ".join(schema["required"])
        return fields
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        return {"*": listed(more)}
    if schema.get("type") == "array":
        return [listed(schema["items"])]
    return schema.get("type", "any")


def crd_listed(path):
    crd = next(part for part in yaml.safe_load_all(open(path)) if part)
    return listed(crd["spec"]["versions"][-1]["schema"]["openAPIV3Schema"])


def object_wrong(value, fields, at):
    for name in fields.get("!", "").split():
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, part in value.items():
        field = fields.get(name, fields.get("*"))
        if field is None:
            yield f"{at}: no field {name}"
        else:
            yield from wrong(part, field, f"{at}.{name}")


def wrong(value, field, at=""):
    """What is wrong in a value, a sentence each."""
    if isinstance(field, dict):
        if not isinstance(value, dict):
            yield f"{at}: {value!r} is no object"
        else:
            yield from object_wrong(value, field, at)
    elif isinstance(field, list):
        if not isinstance(value, list):
            yield f"{at}: {value!r} is no list"
        else:
            for i, part in enumerate(value):
                yield from wrong(part, field[0], f"{at}[{i}]")
    elif not isinstance(value, TYPES[field]) or (field == "integer" and isinstance(value, bool)):
        yield f"{at}: {value!r} is no {field}"


def main(arguments):
    if arguments[0] == "--list":
        print(json.dumps(crd_listed(arguments[1]), separators=(",", ":"), sort_keys=True))
        return 0
    fields = crd_listed(arguments[1]) if arguments[0] == "--crd" else json.load(open(arguments[0]))
    manifest = yaml.safe_load(open(arguments[-1]))
    fields["metadata"] = {"!": "name", "name": "string", "namespace": "string", "labels": {"*": "string"}}
    found = list(wrong(manifest, fields, manifest["kind"]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
