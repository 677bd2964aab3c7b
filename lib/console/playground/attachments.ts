import { signal } from '@preact/signals';

/** An image, a text or a document that goes with the next message. */
export interface Attachment {
  name: string;
  image?: { base64: string; mime_type: string };
  file?: { name: string; content: string };
}

export const attachments = signal<Attachment[]>([]);

/** Why a file was not taken. */
export const attachmentProblem = signal<string | undefined>(undefined);

/** A request may have 6 MB, and base64 makes a third more of an image. */
const maxBytes = 4_000_000;

/** Takes files that were picked, dropped or pasted. */
export async function attach(files: readonly File[]): Promise<void> {
  attachmentProblem.value = undefined;
  for (const file of files) {
    try {
      attachments.value = [...attachments.value, await read(file)];
    } catch (error) {
      attachmentProblem.value = (error as Error).message;
    }
  }
}

/** Takes an attachment away again. */
export function detach(attachment: Attachment): void {
  attachments.value = attachments.value.filter((each) => each !== attachment);
}

async function read(file: File): Promise<Attachment> {
  const { name, size, type } = file;
  if (size > maxBytes) throw new Error(`${name} is larger than 4 MB.`);
  if (type.startsWith('image/')) {
    const url = await dataUrlOf(file);
    return { name, image: { base64: url.slice(url.indexOf(',') + 1), mime_type: type } };
  }
  return { name, file: { name, content: (await textOf(file)) ?? (await dataUrlOf(file)) } };
}

/** Returns a file's text; undefined for one that is none, such as a document, which the service reads. */
async function textOf(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return undefined;
  }
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} can’t be read.`));
    reader.readAsDataURL(file);
  });
}
