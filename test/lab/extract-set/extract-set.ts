import { boxedInvoice, germanInvoice, plainInvoice } from './invoices.ts';
import { lease } from './lease.ts';
import { brokenTable, damagedLetter, rotatedPage } from './odd-pages.ts';
import { scannedForm } from './scanned-form.ts';
import { statement } from './statement.ts';
import { evidenceOf, expectedOf, type SetDocument } from './truth.ts';

/** Documents whose values, rows and places are known, as they were drawn. */
export const extractSet = (): Promise<SetDocument[]> =>
  Promise.all([
    plainInvoice(),
    germanInvoice(),
    boxedInvoice(),
    statement(),
    lease(),
    scannedForm(),
    brokenTable(),
    rotatedPage(),
    damagedLetter(),
  ]);

/** What `expected.json` says of these documents. */
export const expectedFile = (documents: readonly SetDocument[]) => ({
  documents: documents.map((document) => ({
    file: document.file,
    schema: document.schema,
    values: expectedOf(document),
    evidence: evidenceOf(document),
  })),
});
