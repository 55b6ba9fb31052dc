// A session of the TypeScript SDK's client against the built binary: every kind
// of answer once. Usage: node session.mjs BINARY. Prints the transcript, exits 1
// on the first answer that is not as it should be.
import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, writeFileSync, symlinkSync, rmSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const binary = process.argv[2];
const root = mkdtempSync(join(tmpdir(), "session-"));
const jail = join(root, "jail");
mkdirSync(jail);
symlinkSync("/", join(jail, "out"));
const token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
writeFileSync(join(jail, "secret.txt"), `token ${token}\n`);
writeFileSync(join(root, "policy.toml"), `
allow = ["echo", "cat", "sleep", "seq", "touch"]
deny = ["rm"]
[limits]
timeout = "500ms"
max_stdout_bytes = 100
`);

const client = new Client({ name: "typescript-sdk", version: "1.32.2" });
await client.connect(new StdioClientTransport({
  command: binary,
  args: ["serve", "--policy", join(root, "policy.toml"), "--jail", jail, "--audit-log", join(root, "audit.jsonl")],
  env: { HOME: root, PATH: process.env.PATH },
  stderr: "ignore",
}));

let answers = 0;
async function call(name, args, want) {
  const r = await client.callTool({ name, arguments: args });
  const e = r.structuredContent;
  console.log(`${name} ${JSON.stringify(args)}\n  -> ${JSON.stringify(e)}`);
  assert.deepEqual(Object.keys(e), ["ok", "code", "stdout", "stderr", "exit_code", "duration_ms", "policy_reason"]);
  assert.equal(r.content.length, 1);
  assert.equal(r.content[0].type, "text");
  assert.equal(r.content[0].text, JSON.stringify(e), "text and structuredContent are the same JSON");
  assert.match(r._meta.event_id, /^[0-9a-f]{32}$/);
  for (const [key, value] of Object.entries(want)) {
    if (value instanceof RegExp) assert.match(e[key], value);
    else assert.deepEqual(e[key], value);
  }
  answers++;
  return r;
}

try {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), ["explain_command", "run_command"]);
  for (const t of tools) assert.ok(t.outputSchema && t.annotations && t.title && t.description);

  await call("run_command", { command: "echo hi" }, { ok: true, code: "OK", stdout: "hi\n", exit_code: 0 });
  await call("run_command", { command: "cat nope" }, { ok: true, code: "OK", exit_code: 1 });
  await call("run_command", { command: "rm -rf x" }, { ok: false, code: "POLICY_DENIED", exit_code: null, policy_reason: /^deny: / });
  await call("run_command", { command: "echo a | cat" }, { code: "POLICY_DENIED", policy_reason: /^metachar: '\|' at byte 7/ });
  await call("run_command", { command: "echo 'a" }, { code: "PARSE_ERROR", policy_reason: /^parse: / });
  await call("run_command", { command: "echo x", cwd: ".." }, { code: "CWD_ESCAPE", policy_reason: /^jail: / });
  await call("run_command", { command: "echo x", cwd: "out" }, { code: "CWD_ESCAPE" });
  await call("run_command", { command: "sleep 60" }, { code: "TIMEOUT", exit_code: null });
  await call("run_command", { command: "seq 1000" }, { ok: false, code: "OUTPUT_TRUNCATED", exit_code: 0 });
  await call("run_command", { command: "cat secret.txt" }, { code: "OK", stdout: "token [REDACTED:github_token]\n" });
  await call("run_command", { cmd: "echo x" }, { code: "PARSE_ERROR", policy_reason: /unknown argument "cmd"/ });
  await call("explain_command", { command: "touch ran" }, { ok: true, code: "OK", stdout: "", exit_code: null });
  await call("explain_command", { command: "rm x" }, { ok: false, code: "POLICY_DENIED" });
  await assert.rejects(client.callTool({ name: "shell", arguments: {} }), /unknown tool/);
  await assert.rejects(async () => readFileSync(join(jail, "ran")), /ENOENT/, "a dry run runs nothing");

  const records = readFileSync(join(root, "audit.jsonl"), "utf8").trimEnd().split("\n").map((l) => JSON.parse(l));
  assert.equal(records.filter((r) => r.record_type === "outcome").length, answers + 1);
  assert.ok(records.every((r) => r.client === "typescript-sdk 1.32.2"));
  assert.ok(!JSON.stringify(records).includes("a1B2c3D4"));
  console.log(`typescript sdk 1.32.2: ${answers} answers as they should be`);
} finally {
  await client.close();
  rmSync(root, { recursive: true, force: true });
}
