import type { ChildProcess } from 'node:child_process'
import { ProcessGuard } from '@shardwalk/embedded-postgres'

let guard: ProcessGuard | undefined
const guarded = new Set<number>()

/** Ends the process when the tests are gone, even if they were killed. */
export function endWithTests(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  guard ??= new ProcessGuard([
    ['TERM', 5_000],
    ['KILL', 0],
  ])
  guarded.add(pid)
  guard.set([...guarded])
  child.once('exit', () => {
    guarded.delete(pid)
    guard?.set([...guarded])
  })
}
