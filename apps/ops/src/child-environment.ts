/**
 * Environment of a process type. glibc gives up to eight heaps a core to the threads of a process and keeps in each what was freed there: with two
 * the API holds a sixth less after minutes of load, at the same speed. Other C libraries do not know the variable.
 */
export const childEnvironment = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  MALLOC_ARENA_MAX: '2',
  ...process.env,
  ...env,
})
