/** Master of USDT on mainnet, in raw form. Source: the issuer. */
export const USDT_MASTER = '0:B113A994B5024A16719F69139328EB759596C38A25F59028B146FECDC3621DFE'
