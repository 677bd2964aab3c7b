import { chooser, type ModelRequest, type Script, startModelStub } from './model-stub.ts';
import { kinds, type ModelKind, type ModelSlot, upstreamNames } from './test-catalogue.ts';

/** A model of the test's own: its upstreams are no other model's, so that no fault spreads. */
export interface TestModel {
  id: string;
  upstreams: TestUpstream[];
}

export interface TestUpstream {
  requests(): ModelRequest[];
  respond(script: Script): void;
}

/** Starts the stub that is all upstreams of a slot, told apart by their paths. */
export async function startModels({ suffix, port }: ModelSlot) {
  const stub = await startModelStub(port);
  const scripts = new Map<string, ReturnType<typeof chooser>>();
  stub.respond((body, n, path) => scripts.get(upstreamIn(path))?.(body, n, path));
  const handedOut = new Map<ModelKind, number>();

  const upstreamNamed = (name: string): TestUpstream => ({
    requests: () => stub.requests.filter(({ path }) => upstreamIn(path) === name),
    respond: (script) => void scripts.set(name, chooser(script)),
  });

  return {
    port: Number(new URL(stub.url).port),
    stub,

    /** A model that no other test has; it echoes until its upstreams are told otherwise. */
    newModel(kind: ModelKind = 'plain', script?: Script): TestModel {
      const n = handedOut.get(kind) ?? 0;
      if (n === kinds[kind]) throw new Error(`no ${kind} model is left: make more of them`);
      handedOut.set(kind, n + 1);
      const id = `${kind}-${n}${suffix}`;
      const upstreams = upstreamNames(id).map(upstreamNamed);
      if (script) upstreams[0]?.respond(script);
      return { id, upstreams };
    },

    close: () => stub.close(),
  };
}

const upstreamIn = (path: string) => path.split('/')[1] ?? '';
