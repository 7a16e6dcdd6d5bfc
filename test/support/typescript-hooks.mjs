import { transformFile } from '@swc/core';
import { fileURLToPath } from 'node:url';

// Module hooks with which node runs the TypeScript source, compiled on the way as the tests compile it.

export function resolve(specifier, context, next) {
  const ours = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  return next(ours ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transformFile(fileURLToPath(url), { module: { type: 'es6' } });
  return { format: 'module', source: code, shortCircuit: true };
}
