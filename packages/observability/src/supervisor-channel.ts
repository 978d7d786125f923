/** Messages from a process to `start`, which supervises it. */
export type ToSupervisor =
  /** One line of progress for the terminal. */
  | { readonly type: 'progress'; readonly line: string }
  /** The process cannot work, and restarting it would not help: `start` ends with this message. */
  | { readonly type: 'fatal'; readonly message: string }

/** Resolves when the message is sent or has failed; without a supervisor it is dropped. */
export const tellSupervisor = (message: ToSupervisor): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
