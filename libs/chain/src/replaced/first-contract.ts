/*
 * A contract that may be replaced is not named in records and commands while it is the first one of its network: those of the time before it was replaced
 * name none either. `every`: all contracts of a name, oldest first.
 */

/** What a record stores of the contract that it is on. @example unlessFirst(['0x1', '0x2'], '0x2') // '0x2'; undefined for '0x1' */
export const unlessFirst = (every: readonly string[], address: string | undefined): string | undefined => (address === every[0] ? undefined : address)

/** Where a record is, by what it stores. @param every not empty @example orFirst(['0x1', '0x2'], undefined) // '0x1' */
export const orFirst = (every: readonly string[], stored: string | null | undefined): string => stored ?? every[0]!

/** The field of a record, or of the arguments of a command, that names its contract. @example contractField(undefined) // {} */
export const contractField = (contract: string | undefined): { contract?: string } => (contract === undefined ? {} : { contract })
