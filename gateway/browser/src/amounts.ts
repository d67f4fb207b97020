// made once: to make a formatter costs a hundred times what it costs to use it
const figures = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })

/** An amount as server and browser write it: at least two decimals, as many as it has. @example money(12345.6) === '12,345.60 USDC' */
export const money = (usdc: number): string => `${figures.format(usdc)} USDC`
