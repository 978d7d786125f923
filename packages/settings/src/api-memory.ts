import { availableParallelism } from 'node:os'
import type { Settings } from './definition.ts'

/**
 * Of glibc, which keeps what was freed. It gives threads arenas of their own, eight per core; allocations
 * below the threshold (bytes, 128 KiB by default and growing to 32 MiB) come from the arenas, and an arena
 * shrinks only from its end. Connections are read into buffers of 64 KiB: whatever small outlives a burst of
 * them keeps their arena as large as it was. Above a threshold that is given they are mappings, which return
 * to the system at once; their number stays far below that of mappings which Linux allows a process (65,530).
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * Half of V8's default. What survives is copied while the event loop stands; a page in progress survives, so
 * that with 16 MiB this takes twice as long, and that much more memory stays with the process. With less,
 * pages in progress become old, and major collections more frequent. MiB.
 */
const SEMI_SPACE_MIB = 8

/**
 * Threads that help V8, mostly to collect. The thread whose heap is collected waits for the slowest of them:
 * on two cores the four of Node's default make it wait for a core. One core is left to it.
 */
const helpersFor = (cores: number): number => Math.min(4, Math.max(1, cores - 1))

/**
 * Environment with which the API process is started: its heap is limited by `API_HEAP_MIB`, and the young
 * part of it and V8's threads are limited as well, unless `NODE_OPTIONS` has such a limit already.
 */
export function apiMemory(
  { apiHeapMib }: Pick<Settings, 'apiHeapMib'>,
  env: Readonly<Record<string, string | undefined>>,
  cores = availableParallelism(),
): Record<string, string> {
  const given = env['NODE_OPTIONS'] ?? ''
  const limits = {
    'max-old-space-size': apiHeapMib,
    'max-semi-space-size': SEMI_SPACE_MIB,
    'v8-pool-size': helpersFor(cores),
  }
  const own = Object.entries(limits).filter(([name]) => !given.replaceAll('_', '-').includes(`--${name}`))
  return {
    NODE_OPTIONS: [given, ...own.map(([name, limit]) => `--${name}=${limit}`)]
      .filter((option) => option !== '')
      .join(' '),
    ...Object.fromEntries(Object.entries(MALLOC).map(([name, value]) => [name, env[name] ?? value])),
  }
}
