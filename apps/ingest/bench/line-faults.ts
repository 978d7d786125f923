/** Shares of datagrams that are lost and that arrive late. */
export const LINE_FAULTS = { loss: 0.1, reorder: 0.3 }
