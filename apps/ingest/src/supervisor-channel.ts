/** Messages to the supervisor; dropped if there is none. */
export const tellSupervisor = (
  message:
    | { readonly type: 'progress'; readonly line: string }
    | { readonly type: 'fatal'; readonly message: string },
): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}
