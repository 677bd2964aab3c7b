import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SetFile, scoresOf, textOf, textSet } from './read-set.ts';

// Prints how well texts are read: `score-texts.ts`; `score-texts.ts read FOLDER`, those of another reader; or
// writes the files for it: `score-texts.ts write FOLDER`.

const [task, folder = ''] = process.argv.slice(2);

/** What another reader made of a file; nothing if it could not read it. */
const othersText = ({ name }: SetFile) =>
  readFile(join(folder, `${name}.md`), 'utf8').catch(() => '');

if (task === 'write') {
  await mkdir(folder);
  let count = 0;
  for await (const { name, bytes } of textSet()) {
    await writeFile(join(folder, name), bytes);
    count += 1;
  }
  console.log(
    `${count} files are in ${folder}. Put what a reader makes of each beside it: report.pdf.md.`,
  );
} else {
  const columns = ['words', 'order', 'recall', 'precision'] as const;
  const line = (name: string, cells: string[]) =>
    [name.padEnd(16), ...cells.map((cell) => cell.padStart(10))].join('');
  console.log(line('', [...columns]));
  for (const [name, score] of Object.entries(
    await scoresOf(task === 'read' ? othersText : textOf),
  )) {
    console.log(
      line(
        name,
        columns.map((column) => score[column].toFixed(3)),
      ),
    );
  }
}
// What read the documents is kept for the next ones.
process.exit();
