// What each room of core takes, of the whole: `npm run size:rooms` prints a Markdown table.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ENTRY = 'packages/core/src/index.ts'

/** Minified bytes by source file, and the whole, of what `contents` imports. */
async function bundle(contents) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    metafile: true,
    outfile: 'core.js',
    logLevel: 'error',
  })
  const [output] = Object.values(metafile.outputs)
  return { inputs: output.inputs, code: outputFiles[0].contents }
}

const gzipped = (code) => gzipSync(code, { level: 9 }).length
const kB = (bytes) => (bytes / 1000).toFixed(2)

const all = await bundle(`export * from './${ENTRY}'`)
const whole = gzipped(all.code)
const rooms = new Map()
for (const [file, { bytesInOutput }] of Object.entries(all.inputs)) {
  const room = /packages\/core\/src\/([^/]+)\//.exec(file)?.[1] ?? 'errors, json, ids, …'
  rooms.set(room, (rooms.get(room) ?? 0) + bytesInOutput)
}

console.log('| room | minified, kB | its share of the gzip, kB |\n| --- | ---: | ---: |')
for (const [room, bytes] of [...rooms].sort(([, a], [, b]) => b - a)) {
  console.log(`| ${room} | ${kB(bytes)} | ${kB((bytes / all.code.length) * whole)} |`)
}
console.log(`| all of core | ${kB(all.code.length)} | ${kB(whole)} |`)

console.log('\n| a program that imports | min + gzip, kB |\n| --- | ---: |')
for (const names of [
  'InMemoryAgentMemory',
  'createStorage',
  'createAgent, tool',
  'createAgent, tool, createStorage',
  'SessionEventProjector, SessionLogReader',
]) {
  const { code } = await bundle(`export { ${names} } from './${ENTRY}'`)
  console.log(`| ${names} | ${kB(gzipped(code))} |`)
}
