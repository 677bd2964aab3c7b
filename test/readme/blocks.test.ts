import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/servers/command.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { atStage, readme, shellBlocks } from './readme.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { newDataDir, start } = useOwnStages();

// What a fresh clone has after `npm ci`; its `.local` is the stage's.
const clone = newDataDir();
const itsOwn = ['.git', '.local', 'results', 'cdk.out'];
for (const name of readdirSync(root)) {
  if (!itsOwn.includes(name)) symlinkSync(join(root, name), join(clone, name));
}
const stage = await start({ dataDir: join(clone, '.local') });

/** Pastes a block into a shell. Returns what it prints, errors included. */
const paste = (block: string) =>
  new Promise<string>((resolve) => {
    const env = { ...cleanEnvironment(clone), NO_COLOR: '1' };
    const command = `exec 2>&1\n${atStage(block, stage.base_url)}`;
    execFile('bash', ['-c', command], { cwd: clone, env, maxBuffer: 16_000_000 }, (_, stdout) =>
      resolve(stdout),
    );
  });

const samples = readdirSync(join(root, 'lib/local/drive/samples'));
const replaced = 'The valves were replaced within a week.';

/** What a block's output must hold, by words that only this block has. */
const held: Record<string, (printed: string) => void> = {
  'quire -- jobs': (printed) => {
    expect(printed).toContain(replaced);
    expect(printed).toContain('| Brass rings | 24 | 36.00 |');
    expect(printed).toContain('"supplier": "Brandt and Daughter"');
    expect(printed).toContain('"total": 289.5');
    expect(printed).toMatch(/^invoice\.pdf +fields +done +\$0\.00\d+/m);
  },
  'quire -- result $JOB': (printed) => {
    expect(printed).toContain(replaced);
    const [record = '{}'] = printed.match(/^\{.*\}\n$/m) ?? [];
    expect(JSON.parse(record)).toMatchObject({
      status: 'done',
      result: { type: 'chat', content: expect.stringContaining(replaced) },
    });
  },
  '/chat/stream': (printed) => {
    expect(printed.match(/^data: \[DONE\]$/gm)).toHaveLength(2);
    expect(printed).toContain('"chat.completion.chunk"');
    expect(printed).toContain('"type":"sources"');
    expect(printed).toMatch(/"type":"delta","content":"[^"]*Heron/);
  },
  '--out results': (printed) => {
    const names = ['delivery-note.jpg.extract.json', 'invoice.pdf.extract.json'];
    expect(printed).toContain(`${names.join('\n')}\n`);
    for (const name of names) {
      const { data } = JSON.parse(readFileSync(join(clone, 'results', name), 'utf8'));
      expect(Object.values(data)).not.toContain(null);
      expect(data.lines.length).toBeGreaterThan(2);
    }
  },
  'keys -- create --name shop': (printed) => {
    expect(printed).toMatch(/sk-[\w-]{40}/);
    expect(printed).toMatch(/\$10\.00 per 30d/);
    expect(printed).toContain('local-drive');
    expect(printed).toMatch(/^Budget +\$/m);
  },
  'submit --folder local-drive': (printed) => {
    for (const name of samples) expect(printed.split('\n')).toContain(`${name}.result.md`);
  },
};
/** They read scans for a minute. */
const long = ['submit --folder local-drive'];

/** Blocks that can't run here, by words that only they have, and what they need. */
const elsewhere: Record<string, string> = {
  'npm ci && npm start': 'is what the stage of this test is',
  'npm start -- --model llama3.2': 'needs a provider',
  'npx cdk bootstrap': 'needs an account of AWS',
};

describe("the README's blocks, pasted whole,", () => {
  it('are all known', () => {
    const known = [...Object.keys(held), ...Object.keys(elsewhere)];

    expect(shellBlocks.map((block) => known.filter((words) => block.includes(words)))).toEqual(
      shellBlocks.map(() => [expect.any(String)]),
    );
    expect(shellBlocks).toHaveLength(known.length);
  });

  for (const [words, holds] of Object.entries(held)) {
    const tags = long.includes(words) ? { tags: 'exhaustive' } : {};
    it(`return what the text says: ${words}`, { ...tags, timeout: 400_000 }, async () => {
      const block = shellBlocks.find((each) => each.includes(words)) ?? '';

      const printed = await paste(block);

      holds(printed);
      expect(printed.at(-1)).toBe('\n');
    });
  }

  it('begin with a start that prints a link to the console', () => {
    expect(stage.lines.join('\n')).toMatch(/Open the console: http:\/\/\S+#key=sk-/);
  });
});

it('the README is short, and names only files that are there', () => {
  const links = [...readme.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, path = '']) => path);

  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150);
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
