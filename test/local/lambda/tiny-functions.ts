import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { Narrator } from '../../../lib/local/narrator.ts';
import type { Permissions } from '../../../lib/local/permissions/policies.ts';
import { permissionsFor } from '../../support/fixtures/permissions.ts';

interface TinyOptions {
  timeoutMs?: number;
  preamble?: string;
  idleMs?: number;
  environment?: Record<string, string>;
  permissions?: Permissions;
  maxProcesses?: number | undefined;
  /** Makes it a streaming endpoint: its body returns a `StreamedResponse`. */
  streams?: boolean;
}

const streamEndpoint = new URL('../../../shared/http/stream-endpoint.ts', import.meta.url).href;

/** Functions of a line or two on the local stage's own host. */
export class TinyFunctions {
  /** What the stage would have printed. */
  readonly lines: string[] = [];
  readonly narrator = new Narrator((line) => this.lines.push(line));
  private readonly root = mkdtempSync(join(tmpdir(), 'quire-functions-'));
  private readonly hosts: FunctionHost[] = [];

  /** Runs a handler's body, which sees `event` and `context`, and counts its `calls`. */
  start(
    body: string,
    {
      timeoutMs = 20_000,
      preamble = '',
      idleMs = 60_000,
      environment = {},
      permissions = permissionsFor(),
      maxProcesses,
      streams = false,
    }: TinyOptions = {},
  ): FunctionHost {
    const handler = `async (event, context) => { calls += 1; ${body} }`;
    const codeDir = join(this.root, String(this.hosts.length));
    mkdirSync(codeDir);
    writeFileSync(
      join(codeDir, 'index.mjs'),
      `${preamble}
      ${streams ? `import { openStreamEndpoint } from '${streamEndpoint}';` : ''}
      let calls = 0;
      export const handler = ${streams ? `openStreamEndpoint(${handler})` : handler};`,
    );
    const host = new FunctionHost(
      {
        name: 'tiny',
        arn: 'arn:tiny',
        codeDir,
        handler: 'index.handler',
        environment: { COLOUR: 'red', ...environment },
        permissions,
        timeoutMs,
        memoryMb: 128,
        maxProcesses,
      },
      this.narrator,
      idleMs,
    );
    this.hosts.push(host);
    return host;
  }

  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.close()));
    rmSync(this.root, { recursive: true });
  }
}
