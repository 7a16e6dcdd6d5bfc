"""A client that uses Python's `requests`. session.mjs describes its steps."""

import json
import os
import urllib.parse

import requests

BASE, ID, SECRET = (os.environ[name] for name in ("BASE", "CLIENT_ID", "CLIENT_SECRET"))
GRANT = {"grant_type": "client_credentials"}


def by_body(secret):
    return requests.post(BASE + "/auth/token", data={**GRANT, "client_id": ID, "client_secret": secret}).json()


def by_basic(secret):
    return requests.post(BASE + "/auth/token", data=GRANT, auth=(ID, secret)).json()


body, basic = by_body(SECRET), by_basic(SECRET)
session = requests.Session()
session.headers["Authorization"] = "Bearer " + basic["access_token"]


def get(**headers):
    return session.get(BASE + "/stock", headers={name.replace("_", "-"): value for name, value in headers.items()})


wrong = [request("wrong")["error"] for request in (by_body, by_basic)]
plain = get(Accept_Encoding="identity")
skus = [element["SKU"] for element in plain.json()]
again = get(Accept_Encoding="identity", If_None_Match=plain.headers["ETag"])
packed = get(Accept_Encoding="gzip")
for _ in range(50):
    refusal = get()
    if refusal.status_code != 200:
        break

print(
    json.dumps(
        {
            "types": [body["token_type"].lower(), basic["token_type"].lower()],
            "expires": [body["expires_in"], basic["expires_in"]],
            "wrong": wrong,
            "skus": skus,
            "complete": urllib.parse.unquote(plain.headers["X-Last-SKU"]) == skus[-1],
            "again": again.status_code,
            "gzip": [packed.headers["Content-Encoding"], packed.content == plain.content],
            "quota": [refusal.status_code, int(refusal.headers["Retry-After"]) > 0, refusal.json()["message"]],
        }
    )
)
