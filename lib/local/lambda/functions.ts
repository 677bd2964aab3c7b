import { existsSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bundlesIn } from '../../stack/bundles/folder.ts';
import type { Narrator } from '../narrator.ts';
import { type Permissions, permissionsOf } from '../permissions/policies.ts';
import { StageError } from '../stage-error.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import type { Synthesis } from '../template/synthesize.ts';
import {
  constructOf,
  type Resource,
  resolve,
  resourcesOf,
  type Template,
} from '../template/template.ts';
import { FunctionHost } from './function-host.ts';
import { quotaOf } from './quota.ts';

/** The name in a name, an ARN or an integration's URI. */
const nameIn = (reference: string) => reference.match(/function:([^/:]+)/)?.[1] ?? reference;

/** How many processes a function may have. A route's has more, as callers wait for it; workers and readers are larger. */
const ofRoute = 4;
const ofOthers = 2;

/**
 * Returns in how many processes a function of a name may run: in none but the stage's own if callers feed it nothing that
 * could end it. Such are authorizers, routes to `GET`, and what schedules and streams run.
 */
function processesIn(template: Template, names: ResourceNames): (name: string) => number {
  const maxProcesses = new Map<string, number>();
  const note = (reference: unknown, processes: number) => {
    const name = nameIn(String(reference));
    maxProcesses.set(name, Math.max(processes, maxProcesses.get(name) ?? 0));
  };
  const each = (type: string, read: (properties: InvokerProperties) => void) => {
    for (const [, { Properties }] of resourcesOf(template, type)) {
      read(resolve(Properties, names) as InvokerProperties);
    }
  };
  each('AWS::ApiGateway::Authorizer', ({ AuthorizerUri }) => note(AuthorizerUri, 0));
  each('AWS::ApiGateway::Method', ({ HttpMethod, Integration }) =>
    note(Integration?.Uri, HttpMethod === 'GET' ? 0 : ofRoute),
  );
  each('AWS::Lambda::EventSourceMapping', ({ FunctionName, EventSourceArn = '' }) =>
    note(FunctionName, EventSourceArn.includes(':dynamodb:') ? 0 : ofOthers),
  );
  each('AWS::Events::Rule', ({ Targets = [] }) => Targets.forEach(({ Arn }) => void note(Arn, 0)));
  return (name) => maxProcesses.get(name) ?? ofOthers;
}

/** The properties by which resources name the function that they invoke. */
interface InvokerProperties {
  AuthorizerUri?: string;
  HttpMethod?: string;
  Integration?: { Uri?: string };
  FunctionName?: string;
  EventSourceArn?: string;
  Targets?: { Arn: string }[];
}

/** The template's functions, found by name or by an ARN that names them. */
export class Functions {
  private readonly hosts = new Map<string, FunctionHost>();

  constructor(
    { template, assetsDir }: Synthesis,
    names: ResourceNames,
    endpointsOf: (functionName: string) => Record<string, string>,
    narrator: Narrator,
  ) {
    const permissions = permissionsOf(template, names);
    const maxProcessesOf = processesIn(template, names);
    const quota = quotaOf(process.env['QUIRE_CONCURRENCY']);
    for (const [id, resource] of resourcesOf(template, 'AWS::Lambda::Function')) {
      const config = {
        ...configOf(id, resource, names, assetsDir),
        permissions: permissions.get(id) as Permissions,
        maxProcesses: maxProcessesOf(names.nameOf(id)),
      };
      const endpoints = endpointsOf(config.name);
      // Where an engine listens is known only here, so it replaces what the template says.
      config.environment = { ...config.environment, ...endpoints };
      this.hosts.set(names.nameOf(id), new FunctionHost(config, narrator, undefined, quota));
    }
  }

  /** Returns the function that a name, an ARN or an integration's URI names, with any alias. Throws `StageError`. */
  find(reference: string): FunctionHost {
    const host = this.named(nameIn(reference));
    if (!host) throw new StageError(`The template names the function ${reference}, but has none.`);
    return host;
  }

  /** Returns the function of a physical name; undefined if there is none. */
  named(name: string): FunctionHost | undefined {
    return this.hosts.get(name);
  }

  /** All of them. */
  get all(): FunctionHost[] {
    return [...this.hosts.values()];
  }

  /** Waits for running invocations, at most `graceMs`, then ends what runs them. */
  async close(graceMs: number): Promise<void> {
    const deadline = Date.now() + graceMs;
    while (this.all.some(({ inFlight }) => inFlight > 0) && Date.now() < deadline) {
      await pause(20);
    }
    await Promise.all(this.all.map((host) => host.close()));
  }
}

function configOf(id: string, resource: Resource, names: ResourceNames, assetsDir: string) {
  const { Properties = {}, Metadata = {} } = resource;
  const asset = Metadata['aws:asset:path'];
  if (!asset) throw new StageError(`The function ${id} has no bundle among the assets.`);
  const { Handler, Timeout, MemorySize } = Properties;
  const environment = resolve(Properties['Environment'] ?? {}, names) as {
    Variables?: Record<string, string>;
  };
  return {
    name: constructOf(id, resource),
    arn: names.getAtt(id, 'Arn'),
    codeDir: codeDirOf(asset, assetsDir),
    handler: String(Handler),
    environment: environment.Variables ?? {},
    timeoutMs: Number(Timeout ?? 3) * 1000,
    memoryMb: Number(MemorySize ?? 128),
  };
}

/** An assembly gets its name once it is whole, so the folders of bundles that were not staged have moved with it. */
function codeDirOf(asset: string, assetsDir: string): string {
  if (!isAbsolute(asset)) return join(assetsDir, asset);
  return existsSync(asset) ? asset : join(bundlesIn(assetsDir), basename(asset));
}
