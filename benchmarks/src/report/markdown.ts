import type { Line } from './lines.ts'
import type { Results } from './results.ts'
import { verdict } from './table.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A table for each subject, in the order of the lines. */
function tables(lines: readonly Line[]): string {
  const subjects = new Map<string, Line[]>()
  for (const line of lines) {
    const of = subjects.get(line.subject)
    if (of) of.push(line)
    else subjects.set(line.subject, [line])
  }
  return [...subjects]
    .map(([subject, own]) => {
      const rows = own.map(
        (line) =>
          `| ${cell(line.what)} | ${cell(line.figure)} | ${cell(line.goal)} | ${verdict(line)} |`,
      )
      return `## ${subject}\n\n| what | measured | goal | |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
    })
    .join('\n')
}

export function markdown(results: Results, lines: readonly Line[]): string {
  const { quick, folder, node, engines, missing } = results
  const rows = engines.map(
    ({ name, version, bareAppend }) => `| ${name} | ${cell(version)} | ${cell(bareAppend)} |`,
  )
  const absent = missing.map(
    ({ name, reason, failed }) =>
      `| ${name} | ${failed ? 'failed' : 'not measured'} | ${cell(reason)} |`,
  )
  return `# Benchmark results

Written by \`npm run bench\`${quick ? ' with `--quick`' : ''}, on Node.js ${node}. Ratios of one run on one machine: Holdfast against the bare
client doing the same with the same bytes and the same durability on the same server, databases ${folder}.
Each figure is the median of its rounds, with the figures between which half of them lie. The figures in µs belong to
the machine; compare them with nothing but their own line. [How each is made](README.md).

![Append against the bare client, and the cost of an append from 10 to 10,000 items](results.svg)

| backend | measured on | for one append the bare client runs |
| --- | --- | --- |
${[...rows, ...absent].join('\n')}

${tables(lines)}`
}
