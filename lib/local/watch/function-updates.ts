import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnModels } from '../../../shared/models/own-models.ts';
import { type BundleSources, readBundleSources } from '../../stack/bundles/bundle-sources.ts';
import type { Narrator } from '../narrator.ts';
import type { Stage } from '../stage/stage.ts';
import { bundle, sourceRoot } from '../template/synthesize.ts';

export interface FunctionUpdatesOptions {
  stage: Pick<Stage, 'bundlesDir' | 'replaceCode' | 'codeDirs'>;
  /** A folder for new bundles. */
  deploymentDir: string;
  narrator: Narrator;
  models: OwnModels;
}

/** Bundles the functions that changed files are part of, and has the stage run them. */
export class FunctionUpdates {
  private readonly options: FunctionUpdatesOptions;
  private sources: BundleSources;
  /** What has changed since the functions that it is part of were replaced. */
  private readonly changed = new Set<string>();
  private updates = 0;
  /** The folders of new bundles that have not been deleted. */
  private readonly outDirs = new Set<string>();

  constructor(options: FunctionUpdatesOptions) {
    this.options = options;
    this.sources = readBundleSources(options.stage.bundlesDir);
  }

  /** Remembers files that have changed, relative to the checkout, until a `replace` has succeeded. */
  note(paths: string[]): void {
    for (const path of paths) this.changed.add(path);
  }

  /** Replaces the functions that changed files are part of. Throws if one can't be bundled or loaded. */
  async replace(): Promise<void> {
    const { stage, deploymentDir, narrator, models } = this.options;
    const startedAt = performance.now();
    const names = functionsOf([...this.changed], this.sources);
    if (names !== 'all' && names.length === 0) return this.changed.clear();
    this.updates += 1;
    const outDir = join(deploymentDir, `update-${this.updates}`);
    this.outDirs.add(outDir);
    let replaced: string[];
    try {
      await bundle(outDir, names === 'all' ? [] : names, models);
      this.sources = { ...this.sources, ...readBundleSources(outDir) };
      replaced = await stage.replaceCode(outDir);
    } finally {
      this.deleteUnused();
    }
    this.changed.clear();
    const tookMs = Math.round(performance.now() - startedAt);
    const what = replaced.length > 0 ? `${namesOrCount(replaced)} again` : 'no function differs';
    narrator.codeChanged(`${what}, ${tookMs} ms`);
  }

  /** Deletes new bundles that no function runs: earlier ones, those that were no different, and those that failed. */
  private deleteUnused(): void {
    const used = this.options.stage.codeDirs();
    for (const outDir of this.outDirs) {
      const names = existsSync(outDir) ? readdirSync(outDir) : [];
      const unused = names.filter((name) => !used.has(join(outDir, name)));
      for (const name of unused) rmSync(join(outDir, name), { recursive: true });
      if (unused.length < names.length) continue;
      rmSync(outDir, { recursive: true, force: true });
      this.outDirs.delete(outDir);
    }
  }
}

/** Returns the functions that files are part of, but those whose own file is gone; `all` if a file is part of none. */
export function functionsOf(
  paths: string[],
  sources: BundleSources,
  isThere = (name: string) => existsSync(join(sourceRoot, 'functions', `${name}.ts`)),
): string[] | 'all' {
  const namesOf = (path: string) =>
    Object.keys(sources).filter((name) => sources[name]?.includes(path));
  const names = paths.map(namesOf);
  if (names.some(({ length }) => length === 0)) return 'all';
  return [...new Set(names.flat())].filter(isThere);
}

const namesOrCount = (names: string[]) =>
  names.length <= 3 ? names.join(', ') : `${names.length} functions`;
