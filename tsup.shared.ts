import type { Options } from 'tsup'

/** How every package here is built: ESM and CommonJS, each with its own types. */
export function library(entry: Record<string, string>, extra: Options = {}): Options {
  return {
    entry,
    format: ['esm', 'cjs'],
    // tsup sets `baseUrl`, which TypeScript 6 refuses unless told to let it pass.
    dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
    sourcemap: true,
    clean: true,
    splitting: true,
    target: 'node20',
    platform: 'node',
    outDir: 'dist',
    ...extra,
  }
}
