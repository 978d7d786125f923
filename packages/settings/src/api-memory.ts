import type { Settings } from './definition.ts'

/**
 * Of glibc, which keeps what was freed: it gives threads arenas of their own, eight per core, and after a
 * large allocation was freed it serves later ones up to that size (at most 32 MiB) from the arenas. With a
 * threshold that is given, bytes, larger allocations are always returned to the system.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * Environment with which the API process is started: its heap is limited by `API_HEAP_MIB`, unless
 * `NODE_OPTIONS` has a limit already.
 */
export function apiMemory(
  { apiHeapMib }: Pick<Settings, 'apiHeapMib'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given = env['NODE_OPTIONS'] ?? ''
  const limit = /--max[-_]old[-_]space[-_]size/.test(given) ? [] : [`--max-old-space-size=${apiHeapMib}`]
  return {
    NODE_OPTIONS: [given, ...limit].filter((option) => option !== '').join(' '),
    ...Object.fromEntries(Object.entries(MALLOC).map(([name, value]) => [name, env[name] ?? value])),
  }
}
