// Moves partitions until a step is done, and is killed there.
const [db, primary, archive, way, to, step] = process.argv.slice(2)
const { archiveRange, bringBack, createDb } = await import(db)
const handle = createDb({ url: primary, statementTimeoutMs: 0 })
const range = { from: 1, to: Number(to) }
const onStep = (/** @type {string} */ done) => {
  if (done === step) process.kill(process.pid, 'SIGKILL')
}
if (way === 'out') await archiveRange(handle, { range, url: archive }, { onStep })
else await bringBack(handle, range, { onStep })
await handle.close()
