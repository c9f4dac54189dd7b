/** What the oracle accuses a storage of. `wrong`: everything that is not one of the others. */
export type ViolationKind = 'lost' | 'doubled' | 'resurrected' | 'disordered' | 'wrong'

export interface Violation {
  readonly kind: ViolationKind
  readonly cell: string
  readonly facts: string
}

/** Past this many the run is over: what follows a broken state says nothing new. */
const ENOUGH = 20

export class Verdicts {
  readonly violations: Violation[] = []
  readonly counts: Record<ViolationKind, number> = {
    lost: 0,
    doubled: 0,
    resurrected: 0,
    disordered: 0,
    wrong: 0,
  }

  add(kind: ViolationKind, cell: string, facts: string): void {
    this.counts[kind]++
    if (this.violations.length < ENOUGH) this.violations.push({ kind, cell, facts })
  }

  get enough(): boolean {
    return this.total >= ENOUGH
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0)
  }
}
