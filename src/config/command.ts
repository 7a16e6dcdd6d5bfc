/** Returns the command line for operators. It is the same in a built checkout and in the image. */
export function command(line: string): string {
  return `node dist/cli.js ${line}`;
}
