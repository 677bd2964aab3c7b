const bullet = /^[•●○▪■◦‣∙·*–—-]$/;
/** How Tesseract reads round bullets, a character it doesn't know. */
const misreadBullet = /^[eo®©¢°«»§]$/;
const ordinal = /^\(?(\d{1,3}|[a-z]|[ivx]{2,4})[.)]$/i;

export const isBullet = (word: string) => bullet.test(word);

export const isMisreadBullet = (word: string) => misreadBullet.test(word);

/** Whether a word is the bullet or the number of a list's item. */
export const isMarker = (word: string) => isBullet(word) || ordinal.test(word);

/** Whether a word is such a marker, or may be a misread one. */
export const mayBeMarker = (word: string) => isMarker(word) || isMisreadBullet(word);
