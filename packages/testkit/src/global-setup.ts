import { shareTestServer } from './test-server.ts'

/** For vitest: before the first and after the last test file of a run. */
export default shareTestServer
