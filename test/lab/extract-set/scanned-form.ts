import { pdfOf } from '../../support/fixtures/pdfs.ts';
import { scanned } from '../../support/fixtures/scans.ts';
import { Paper } from './paper.ts';
import type { SetDocument } from './truth.ts';

const schema = {
  type: 'object',
  properties: {
    policy: { type: 'string', description: 'The number of the policy' },
    surname: { type: 'string' },
    born: { type: 'string', format: 'date' },
    cover: {
      type: 'string',
      enum: ['Basic', 'Family', 'Full'],
      description: 'The box with a cross',
    },
    smoker: { type: 'boolean' },
    excess: { type: 'number' },
  },
  required: ['policy', 'surname', 'born', 'cover', 'smoker'],
};

/** An insurer's form as a scanner gives it: a picture without words of its own, and boxes with crosses. */
export async function scannedForm(): Promise<SetDocument> {
  const paper = new Paper().sheet();
  const field = (y: number, label: string, text: string, path: string, value: unknown = text) => {
    paper.line(
      y,
      [
        { x: 70, text: label },
        { x: 240, text, field: path, value, bold: true },
      ],
      12,
    );
    paper.rule(y + 16, 236, 520);
  };
  paper.line(70, [{ x: 70, text: 'Application for health insurance', bold: true }], 18);
  field(140, 'Policy number', 'KV-5503-8817', '/policy');
  field(180, 'Surname', 'Marchetti', '/surname');
  field(220, 'Date of birth', '14/11/1983', '/born', '1983-11-14');
  field(260, 'Yearly excess', '750.00', '/excess', 750);
  paper.line(320, [{ x: 70, text: 'Cover wanted' }], 12);
  ['Basic', 'Family', 'Full'].forEach((cover, n) => {
    const x = 240 + n * 100;
    paper.tickBox(x, 320, cover === 'Family', 12);
    const box = paper.line(320, [{ x: x + 20, text: cover }], 12);
    if (cover === 'Family') paper.mark('/cover', cover, box, cover);
  });
  paper.line(370, [{ x: 70, text: 'Do you smoke?' }], 12);
  ['Yes', 'No'].forEach((answer, n) => {
    const x = 240 + n * 100;
    paper.tickBox(x, 370, answer === 'No', 12);
    const box = paper.line(370, [{ x: x + 20, text: answer }], 12);
    if (answer === 'No') paper.mark('/smoker', false, box, 'No');
  });
  paper.line(
    440,
    [{ x: 70, text: 'I have answered all questions truthfully and to the best of my knowledge.' }],
    11,
  );
  const { values, rows } = paper;
  const scan = await scanned(await paper.bytes(), { dpi: 200, noise: 4, blur: 0.5, quality: 60 });
  const bytes = await pdfOf([{ scan }]);
  return { file: 'form-scanned.pdf', bytes, pages: 1, schema, values, rows };
}
