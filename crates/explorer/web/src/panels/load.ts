// Loading what a panel shows.

import { useEffect, useState } from 'preact/hooks';
import { getJson, getText, isAbort, message, streamJson } from '../api/client';
import { version } from '../state';

export interface Loaded<T> {
  /** The last answer; it stays, dimmed, while the next one loads. */
  readonly data: T | null;
  readonly loading: boolean;
  readonly error: string | null;
}

/** Loads an address again whenever it or the book changes. Nothing is asked for without an address. */
export const useJson = <T>(url: string | null): Loaded<T> => useLoaded(url, getJson<T>);
export const useText = (url: string): Loaded<string> => useLoaded(url, getText);

function useLoaded<T>(url: string | null, get: (url: string, signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ data: null, loading: true, error: null });
  useEffect(() => {
    if (url === null) return;
    const control = new AbortController();
    setState(({ data }) => ({ data, loading: true, error: null }));
    const timer = setTimeout(() => {
      get(url, control.signal).then(
        (data) => setState({ data, loading: false, error: null }),
        (error: unknown) => { if (!isAbort(error)) setState({ data: null, loading: false, error: message(error) }); },
      );
    }, 60);
    return () => { clearTimeout(timer); control.abort(); };
  }, [url, version.value]);
  return state;
}

/** An answer that comes line by line. */
export interface Coming { readonly running: boolean; readonly error: string | null }
/** Nothing comes. */
export const IDLE: Coming = { running: false, error: null };

/** Takes the lines of an answer as they come. A new address, or leaving, stops the old answer, and then calls `forget`. */
export function useLines<T>(url: string | null, version: unknown, take: (line: T) => void, forget?: () => void): Coming {
  const [state, setState] = useState(IDLE);
  useEffect(() => {
    setState(IDLE);
    if (url === null) return;
    const control = new AbortController();
    const run = async (): Promise<void> => {
      for await (const line of streamJson<T>(url, { signal: control.signal })) take(line);
      setState(IDLE);
    };
    const timer = setTimeout(() => {
      setState({ running: true, error: null });
      run().catch((error: unknown) => { if (!isAbort(error)) setState({ running: false, error: message(error) }); });
    }, 250);
    return () => { clearTimeout(timer); control.abort(); forget?.(); };
  }, [url, version]);
  return state;
}
