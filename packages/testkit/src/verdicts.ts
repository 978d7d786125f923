interface Verdict {
  readonly target: string
  readonly isMet: boolean
  readonly seen: string
}

/** Targets, and whether they were met. */
export class Verdicts {
  private readonly all: Verdict[] = []

  add(target: string, isMet: boolean, seen: string): void {
    this.all.push({ target, isMet, seen })
  }

  /** `unit`: of both numbers. What is no number misses every target. */
  atMost(name: string, most: number, seen: number, unit: string): void {
    this.add(`${name} <= ${most} ${unit}`, seen <= most, `${seen.toFixed(1)} ${unit}`)
  }

  /** Returns whether all were met. */
  print(): boolean {
    console.log()
    for (const { target, isMet, seen } of this.all)
      console.log(`${isMet ? 'met   ' : 'MISSED'}  ${target}: ${seen}`)
    return this.all.every(({ isMet }) => isMet)
  }
}
