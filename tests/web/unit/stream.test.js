import assert from "node:assert/strict";
import { test } from "node:test";

import { isNew } from "../../../web/js/stream.js";

const heard = (event, id) => ({ event, id });

test("a tab takes every message of another server process, and every one where it knows none", () => {
  assert.ok(isNew(heard("update", "aa-3"), ""));
  assert.ok(isNew(heard("update", "bb-1"), "aa-9"));
});

test("an update is taken once, a view of the same number again, an older one never", () => {
  assert.ok(isNew(heard("update", "aa-10"), "aa-9"));
  assert.ok(!isNew(heard("update", "aa-9"), "aa-9"));
  assert.ok(isNew(heard("view", "aa-9"), "aa-9"));
  assert.ok(!isNew(heard("view", "aa-8"), "aa-9"));
});

test("a frame carries the number of the message before it and is always taken", () => {
  assert.ok(isNew(heard("frame", "aa-2"), "aa-9"));
});
