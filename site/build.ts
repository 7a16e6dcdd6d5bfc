import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'vitepress';
import { type Files, type SiteSource, siteSource } from './pages.js';
import { sidebarOf } from './sidebar.js';

/**
 * The browser then loads nothing from other hosts, whichever server the site is on. VitePress and Swagger UI write
 * inline styles, and VitePress writes inline scripts.
 */
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Counts of the written files. */
interface Written {
  pages: number;
  downloads: number;
}

/**
 * Writes the site to a folder.
 * @throws if a link leads to nothing. The folder then stays as it was.
 */
export async function buildSite(root: string, baseUrl: string, output: string): Promise<Written> {
  const source = siteSource(root, baseUrl);
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  // Below node_modules, so that the pages find the packages. A folder for each build, so that two can run together.
  const folder = mkdtempSync(join(cache, 'docs-site-'));
  try {
    write(folder, source.pages);
    write(join(folder, 'public'), new Map([...source.downloads, ...openApiPage(root)]));
    write(join(folder, '.vitepress'), vitepress(root, source));
    await build(folder, { outDir: join(folder, 'site') });
    cpSync(join(folder, 'site'), output, { recursive: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { pages: source.pages.size, downloads: source.downloads.size };
}

function write(folder: string, files: Files): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** VitePress reads its configuration and its theme from files. This theme uses the fonts of the reader's system. */
function vitepress(root: string, { pages }: SiteSource): Files {
  const settings = JSON.stringify({ sidebar: sidebarOf(pages), policy: POLICY });
  const config = JSON.stringify(join(root, 'site/config.mjs'));
  return new Map([
    ['config.mjs', `import { config } from ${config};\nexport default config(${settings});\n`],
    ['theme/index.mjs', "export { default } from 'vitepress/theme-without-fonts';\n"],
  ]);
}

/** The page of the management port, with other addresses of its files and a link to the guide. */
function openApiPage(root: string): Files {
  const page = join(root, 'src/openapi/page');
  const swagger = join(root, 'node_modules/swagger-ui-dist');
  const files = [
    ...readdirSync(page).map((name) => join(page, name)),
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => join(swagger, name)),
  ];
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`;
  const back = '<a href="/index.html" style="display: inline-block; margin: 16px 20px 0">Back to the guide</a>';
  const moved = (text: string) =>
    text
      .replaceAll('"/docs/', '"/openapi/')
      .replace('<meta ', `${policy}\n    <meta `)
      .replace('<body>', `<body>\n    ${back}`);
  return new Map(
    files.map((file) => {
      const text = readFileSync(file, 'utf8');
      return [`openapi/${basename(file)}`, file.endsWith('.html') ? moved(text) : text];
    }),
  );
}
