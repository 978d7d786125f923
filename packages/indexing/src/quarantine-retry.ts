import { programVersion } from './program-version.ts'
import { repairQuarantined, type TaskOptions } from './repair.ts'

/** After an update, tries once again what an earlier version put into quarantine. */
export class QuarantineRetry {
  constructor(
    private readonly options: Omit<TaskOptions, 'signal'>,
    private readonly version = programVersion,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    try {
      await repairQuarantined({ ...this.options, decodeThreads: 1, signal }, { version: this.version })
    } catch (error) {
      if (!signal.aborted) this.options.log.warn('what is in quarantine could not be tried again', { error })
    }
  }
}
