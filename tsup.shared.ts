import type { Options } from 'tsup'

/** How every package here is built: ESM and CommonJS, each with its own types. */
export function library(entry: Record<string, string>, extra: Options = {}): Options {
  return {
    entry,
    format: ['esm', 'cjs'],
    dts: {
      compilerOptions: {
        // tsup sets `baseUrl`, which TypeScript 6 refuses unless told to let it pass.
        ignoreDeprecations: '6.0',
        // Built types are made from the built types of the packages below, as a user has them. With the
        // paths of tsconfig.base.json an inferred type could pull core's sources into an adapter's types.
        paths: {},
      },
    },
    sourcemap: true,
    clean: true,
    splitting: true,
    target: 'node20',
    platform: 'node',
    // `node:fs` says what it is: to a bundler, to Deno, and to who reads the built file.
    removeNodeProtocol: false,
    outDir: 'dist',
    ...extra,
  }
}
