import { Decimal128 } from 'bson'
import { namedArguments, nullish } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { addToDate, type Unit, units } from '../values/dates.ts'
import { valueAt, withValueAt } from '../values/doc-path.ts'
import { fail } from '../values/errors.ts'
import { add } from '../values/numbers.ts'
import { compare } from '../values/order.ts'
import { asNumber, type Doc, isDoc, isNumeric, type Numeric } from '../values/values.ts'
import { pushAll, type Stage, type StageContext } from './sink.ts'
import { type Partition, partitions } from './window.ts'

type Place = Numeric | Date

interface Steps {
  field: string
  partitionFields: string[]
  bounds: 'full' | 'partition' | [Place, Place]
  /** The place one step after another. */
  next(place: Place): Place
}

const maxMade = 500_000

/** `$densify`: adds documents for the values of a field that are missing between others. */
export function densifyStage(arg: unknown, { scope }: StageContext): Stage {
  const steps = readSteps(arg)
  const by = compileExpression(Object.fromEntries(steps.partitionFields.map((field, i) => [`f${i}`, `$${field}`])), scope)
  return next => {
    const placed: Doc[] = []
    const others: Doc[] = []
    return {
      push: doc => {
        const value = valueAt(doc, steps.field)
        if (nullish(value)) others.push(doc)
        else placed.push(isPlace(value) ? doc : fail(5733201, 'Densify field type must be numeric or date'))
        return true
      },
      end: () => pushAll([...others, ...densified(steps, partitions(placed, by, [{ path: steps.field, direction: 1 }]))], next),
    }
  }
}

function* densified(steps: Steps, groups: readonly Partition[]): Generator<Doc> {
  const { field, bounds } = steps
  const all = bounds === 'full' ? groups.flatMap(({ by }) => [by[0]![0], by.at(-1)![0]] as Place[]).sort(compare) : []
  let made = 0
  const makeDoc = (example: Doc, place: Place) => {
    made += 1
    if (made > maxMade) fail(5897900, `Generated ${maxMade} documents in $densify, which is over the limit`)
    return newDoc(steps, example, place)
  }
  for (const { docs } of groups) {
    const places = docs.map(doc => valueAt(doc, field) as Place)
    const [first, last] = bounds === 'partition' ? [places[0]!, places.at(-1)!] : bounds === 'full' ? [all[0]!, all.at(-1)!] : bounds
    const isPastEnd = (place: Place) => (bounds === 'full' ? compare(place, last) > 0 : compare(place, last) >= 0)
    let missing = first
    for (const [i, doc] of docs.entries()) {
      for (; !isPastEnd(missing) && compare(missing, places[i]) < 0; missing = steps.next(missing)) yield makeDoc(docs[0]!, missing)
      if (!isPastEnd(missing) && compare(missing, places[i]) === 0 && compare(places[i + 1], missing) !== 0) missing = steps.next(missing)
      yield doc
    }
    for (; !isPastEnd(missing); missing = steps.next(missing)) yield makeDoc(docs[0]!, missing)
  }
}

function newDoc({ field, partitionFields }: Steps, example: Doc, place: Place): Doc {
  const copied = partitionFields.reduce((doc, path) => withValueAt(doc, path, valueAt(example, path)), {} as Doc)
  return withValueAt(copied, field, place)
}

function readSteps(arg: unknown): Steps {
  const spec = namedArguments('$densify', arg, ['field', 'range'], ['partitionByFields'])
  const { field, range, partitionByFields = [] } = spec
  if (typeof field !== 'string' || field === '' || field.startsWith('$')) return fail(5733402, "Cannot densify field starting with '$'")
  if (!Array.isArray(partitionByFields)) return fail(14, "BSON field '$densify.partitionByFields' is the wrong type, expected type 'array'")
  const { step, unit, bounds } = namedArguments('$densify.range', range, ['step', 'bounds'], ['unit'])
  const isDated = unit !== undefined
  if (isDated && (typeof unit !== 'string' || !units.includes(unit))) return fail(9, `unknown time unit value: ${String(unit)}`)
  if (!isNumeric(step) || !(asNumber(step) > 0))
    return fail(5733401, 'The step parameter in a range statement must be a strictly positive numeric value')
  if (step instanceof Decimal128) return fail(115, '$densify by Decimal128 is not supported by this engine')
  const next = (place: Place): Place => {
    if (place instanceof Date)
      return isDated ? addToDate(place, unit as Unit, asNumber(step), 'UTC') : fail(6053600, 'Cannot densify a date without a unit')
    return isDated ? fail(6053600, 'A unit is for dates') : (add(place, step) ?? fail(5733411, 'The value to densify overflows'))
  }
  return { field, partitionFields: partitionByFields.map(String), bounds: readBounds(bounds), next }
}

function readBounds(bounds: unknown): Steps['bounds'] {
  if (bounds === 'full' || bounds === 'partition') return bounds
  const [low, high] = Array.isArray(bounds) ? bounds : []
  if (!isPlace(low) || !isPlace(high) || compare(low, high) > 0)
    return fail(5733404, "A bounding array must hold two numbers or dates in ascending order, or be 'full' or 'partition'")
  return [low, high]
}

function isPlace(value: unknown): value is Place {
  return value instanceof Date || (isNumeric(value) && !isDoc(value))
}
