import type { DocumentScore } from '../evaluate/score.ts';

/** What is not as it should be in what was extracted: nothing, if all is right and whole. */
export function faultsOf(file: string, { values, evidence, rows }: DocumentScore): string[] {
  const areRight = values.right === values.expected && values.right === values.returned;
  const arePlaced = evidence.right === evidence.expected;
  const areWhole = rows.missing + rows.doubled + rows.invented + rows.out_of_order === 0;
  return [
    ...(areRight ? [] : [`${file}: values ${JSON.stringify(values)}`]),
    ...(arePlaced ? [] : [`${file}: evidence ${JSON.stringify(evidence)}`]),
    ...(areWhole ? [] : [`${file}: rows ${JSON.stringify(rows)}`]),
  ];
}
