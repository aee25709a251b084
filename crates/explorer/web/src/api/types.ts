// Names for the answers of the server. schema.d.ts is generated from its OpenAPI description.

import type { components } from './schema';

type Schemas = components['schemas'];
export type Answer = Schemas['Position'];
export type BookEntry = Schemas['BookEntry'];
export type Books = Schemas['Books'];
export type Change = Schemas['Change'];
export type Chosen = Schemas['Chosen'];
export type Entered = Schemas['Entered'];
export type Game = Schemas['Game'];
export type Games = Schemas['Games'];
export type Hint = Schemas['Hint'];
export type HintMove = Schemas['HintMove'];
export type History = Schemas['History'];
export type Info = Schemas['Info'];
export type Learning = Schemas['Learning'];
export type Move = Schemas['Move'];
export type NearBest = Schemas['NearBest'];
export type NextSearch = Schemas['NextSearch'];
export type Openings = Schemas['Openings'];
export type Parents = Schemas['Parents'];
export type Parsed = Schemas['Parsed'];
export type ParsedGame = Schemas['ParsedGame'];
export type Queued = Schemas['Queued'];
export type Review = Schemas['Review'];
export type ReviewedMove = Schemas['ReviewedMove'];
export type Schema = Schemas['Schema'];
export type Transpositions = Schemas['Transpositions'];
export type Undone = Schemas['Undone'];
export type ValuedOpening = Schemas['ValuedOpening'];
export type Version = Schemas['Version'];
export type Why = Schemas['Why'];
