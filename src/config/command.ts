/** What an operator types to run a command: the same in a checkout, where the service was built, and in the image. */
export function command(line: string): string {
  return `node dist/cli.js ${line}`;
}
