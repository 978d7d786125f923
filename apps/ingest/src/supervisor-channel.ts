/** Messages to the process that started this one; without one they go nowhere. */
export const tellSupervisor = (
  message:
    | { readonly type: 'progress'; readonly line: string }
    | { readonly type: 'fatal'; readonly message: string },
): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
