// npm run docs:site: writes the integration guide as a static site, with the address of a deployment in every example.
import { program } from 'commander';
import { join, resolve } from 'node:path';
import { argv, stderr, stdout } from 'node:process';
import { baseUrl, emptyFolder } from './arguments.js';
import { buildSite } from './build.js';

const ROOT = resolve(import.meta.dirname, '..');

interface Options {
  baseUrl: string;
  output?: string;
}

program
  .name('npm run docs:site --')
  .description('Writes docs/integration, docs/interface.md and docs/openapi.json as a static site for customers.')
  .requiredOption(
    '--base-url <url>',
    'address at which customers reach the service, such as https://data.example.com',
    baseUrl,
  )
  .option('--output <folder>', 'folder to write, new or empty; default: docs-site', emptyFolder)
  .action(async (options: Options) => {
    const output = options.output ?? emptyFolder(join(ROOT, 'docs-site'));
    const { pages, downloads } = await buildSite(ROOT, options.baseUrl, resolve(output));
    stdout.write(
      `Wrote ${pages} pages and ${downloads} downloads to ${output}. Serve this folder with any web server.\n`,
    );
  });
try {
  await program.parseAsync(argv);
} catch (error) {
  stderr.write(`The site could not be written: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
