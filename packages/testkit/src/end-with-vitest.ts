/** A worker whose vitest was killed ends, and with it what it started. Loaded before every test file. */
function endWithVitest(): void {
  process.exit(1)
}

if (!process.listeners('disconnect').some(({ name }) => name === endWithVitest.name))
  process.once('disconnect', endWithVitest)
