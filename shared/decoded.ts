/** Decodes a part of a URL. One that isn't encoded as URLs are stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
