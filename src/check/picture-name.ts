/** A file name with an extension, without folders and without characters that separate several names. */
const FILE_NAME = /^[^\\/:*?"<>|,;\p{Cc}]*[^\\/:*?"<>|,;\p{Cc}\s]\.[A-Za-z0-9]{2,5}$/u;

/** Whether a text names one picture: by a file name, or by an HTTP(S) URL. */
export function isPictureName(text: string): boolean {
  return (FILE_NAME.test(text) && text === text.trim()) || isUrl(text);
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]+/i.test(text) && !/\s/.test(text) && URL.canParse(text);
}
