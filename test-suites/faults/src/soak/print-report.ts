import type { SoakReport } from './soak.ts'

const row = (name: string, value: string | number) => console.log(`  ${name.padEnd(34)} ${value}`)
const list = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

export function printReport(backend: string, report: SoakReport, seconds: number): void {
  const { accused } = report
  console.log(`\n${backend} (seed ${report.seed}, ${seconds.toFixed(1)} s)`)
  row('items acknowledged', report.acknowledged)
  row('items lost', accused.lost)
  row('items doubled', accused.doubled)
  row('items brought back', accused.resurrected)
  row('out of order', accused.disordered)
  row('anything else wrong', accused.wrong)
  row('calls', list(report.calls))
  row('calls of unknown outcome', `${report.unknown}, of which landed later ${report.lateCommits}`)
  row('calls refused, not committed', report.refused)
  row('commits checked against the model', report.commits)
  row('reads checked, failed', `${report.reads - report.failedReads}, ${report.failedReads}`)
  row('audits of what is stored', report.audits)
  row('storages, sessions', `${report.storages}, ${report.sessions}`)
  row('faults', list(report.faults))
  row('digest of the history', report.digest)
  for (const { kind, cell, facts } of report.violations) {
    console.log(`  ${kind.toUpperCase()} in ${cell}: ${facts}`)
  }
}
