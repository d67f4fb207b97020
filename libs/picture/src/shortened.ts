/**
 * Text of at most so many characters, with an ellipsis where it was cut. By characters as they are read, so that no pair of code units is cut.
 * @example shortened('Audit a vault', 6) === 'Audit…'
 */
export function shortened(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
