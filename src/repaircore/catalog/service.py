"""What was sold, asked by year, make and model."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from attrs import frozen

from repaircore.catalog.engines import (
    EngineEntry,
    engine_entry,
    engines_in_entries,
    engines_in_table,
    select_engines,
)
from repaircore.catalog.epa_entries import EpaReader
from repaircore.catalog.listing import covers, listed_models
from repaircore.catalog.model import EARLIEST, CatalogEntry, Engine, Make, ModelEngines
from repaircore.catalog.model_names import match_names, unique_names
from repaircore.catalog.model_years import ModelQuery, ModelYear, parse_model_query, parse_model_year_id
from repaircore.catalog.ports import CatalogWork, EngineTable, Makes, OpenWork, VinModels
from repaircore.catalog.trims import single_trims
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import DEFAULT_OPTIONS, FileImport, ImportOptions, ImportResult, Upload
from repaircore.kernel.spelling import key, make_key, make_name, words_key
from repaircore.kernel.types import Clock, Lazy

_USUAL_LIMIT: Final = 20
_LARGEST_LIMIT: Final = 100
_LONGEST_QUERY: Final = 100
_AT_ONCE: Final = 1000


@frozen(kw_only=True)
class Catalog:
    """The use cases of the catalog.

    Three sources answer together: the patterns of VINs, the table of engines, and what was imported.
    Names may be asked for whatever their case and punctuation; a make or model that nobody knows, and a year that
    the catalog does not cover, have empty lists.
    """

    transaction: OpenWork
    read: OpenWork
    sold: Lazy[Makes]
    models_known: VinModels
    table: EngineTable
    clock: Clock

    def list_makes(self, year: int | None = None) -> Sequence[str]:
        """List the makes, of the model year if one is named, in the order of the alphabet."""
        with self.read() as work:
            imported = work.catalog.list_makes(year)
        ours = {make.name: make for make in self.sold().values()}
        sold = [name for name, make in ours.items() if covers(make.years, year, newest=self._newest())]
        return unique_names([*sold, *imported])

    def list_models(self, make: str, year: int | None = None) -> Sequence[str]:
        """List the models of a make, of the model year if one is named, in the order of the alphabet."""
        about = self._make(make)
        with self.read() as work:
            imported = work.catalog.list_models(about.name, year)
        return unique_names([*self._sold(about, year), *imported])

    def list_years(self) -> Sequence[int]:
        """List the model years that the catalog covers, the newest first."""
        return [*range(self._newest(), EARLIEST - 1, -1)]

    def list_trims(self, make: str, model: str, year: int) -> Sequence[str]:
        """List the trims of a model in a model year, in the order of the alphabet."""
        about = self._make(make)
        known = self._meant(about.name, model)
        texts = [trim for sold in engines_in_table(known, year) for trim in sold.trims]
        texts += [trim.name for one in known for trim in one.trims if trim.first <= year <= trim.last]
        if covers(about.years, year, newest=self._newest()):
            texts += [
                text
                for spelled in (about.name, *about.also)
                for text in self.models_known.trims(spelled, model, year)
            ]
        texts += [one.trim for one in self._imported(about.name, model, year) if one.trim]
        return single_trims(texts)

    def list_engines(
        self, make: str, model: str, year: int, trim: str | None = None
    ) -> Sequence[EngineEntry]:
        """List the engines that a model of a year was sold with, or a trim of it, the smallest first."""
        about = self._make(make)
        table = engines_in_table(self._meant(about.name, model), year)
        imported = engines_in_entries(self._imported(about.name, model, year))
        known = table or imported
        found = select_engines(table, imported, trim) if known else self._declared(about, model, year)
        return [engine_entry(engine) for engine in found]

    def list_known_engines(self, year: int, make: str, model: str) -> Sequence[CatalogEntry]:
        """List what the import and the table of engines know of a model, an entry for each engine."""
        about = self._make(make)
        return [
            *self._imported(about.name, model, year),
            *(
                CatalogEntry(
                    make=about.name, model=found.name, published=found.name, year=year, engine=sold.engine
                )
                for found in self._meant(about.name, model)
                for sold in engines_in_table([found], year)
            ),
        ]

    def list_engines_as_trim(self, year: int, make: str, model: str) -> Sequence[CatalogEntry]:
        """List the engines of a model that was a trim of another one in the year: a WRX of 2013 is an Impreza.

        Empty where it was a model of its own, or where several models had such a trim.
        """
        table = self.table.list_for_make(self._make(make).name)
        later = {words_key(one.name) for one in table if not engines_in_table([one], year)}
        found = [
            CatalogEntry(
                make=self._make(make).name,
                model=known.name,
                published=f"{known.name} {trim}",
                year=year,
                engine=sold.engine,
                trim=trim,
            )
            for known in table
            for sold in engines_in_table([known], year)
            for trim in sold.trims
            if key(model) in {key(trim), key(f"{known.name} {trim}")} and _begins_with(trim, later)
        ]
        return found if len({one.model for one in found}) == 1 else ()

    def search_model_years(self, query: str = "", *, limit: int | None = None) -> Sequence[ModelYear]:
        """Find models of a year by words, the beginnings of words, or a year; twenty without a limit.

        Those that more of the words name wholly come first, and among equals the newest.

        Raises:
            Invalid: on ``q`` and ``limit``.
        """
        told = self.validate(q=query, limit=limit)
        if told:
            raise Invalid(told)
        parsed = parse_model_query(query, first=EARLIEST, last=self._newest())
        return list(islice(self._wanted(parsed), _USUAL_LIMIT if limit is None else limit))

    def find_model_year(self, model_id: str) -> ModelYear | None:
        """Give what an id means, None when the catalog has no such model of that year."""
        told = parse_model_year_id(model_id)
        if told is None:
            return None
        year, named_make, named_model = told
        makes = (make for make in self.list_makes(year) if make_key(make) == named_make)
        sold = ((make, model) for make in makes for model in self.list_models(make, year))
        return next(
            (
                ModelYear(make=make, model=model, year=year)
                for make, model in sold
                if key(model) == named_model
            ),
            None,
        )

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a search; those that are not given are not judged."""
        query, limit = fields.get("q"), fields.get("limit")
        told: dict[str, list[str]] = {}
        if isinstance(query, str) and len(query) > _LONGEST_QUERY:
            told["q"] = [f"The q field must not be longer than {_LONGEST_QUERY} characters."]
        if isinstance(limit, int) and not 1 <= limit <= _LARGEST_LIMIT:
            told["limit"] = [f"The limit field must be between 1 and {_LARGEST_LIMIT}."]
        return told

    def _wanted(self, parsed: ModelQuery) -> Iterator[ModelYear]:
        models = cache(self.list_models)
        found: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
        for make in self.list_makes(parsed.year):
            for model in models(make, parsed.year):
                found[parsed.agreement(make, model)].append((make, model))
        years = self.list_years() if parsed.year is None else (parsed.year,)
        for agreement in sorted(found.keys() - {0}, reverse=True):
            for year in years:
                for make, model in found[agreement]:
                    if model in models(make, year):
                        yield ModelYear(make=make, model=model, year=year)

    def export_entries(self) -> Iterator[CatalogEntry]:
        """Give every imported entry, one after the other; few of them are held at once."""
        last: CatalogEntry | None = None
        while True:
            with self.read() as work:
                some = work.catalog.list_after(last, limit=_AT_ONCE)
            yield from some
            if len(some) < _AT_ONCE:
                return
            last = some[-1]

    def import_file(self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
        """Import the EPA's file of vehicles; rows that are stored already change nothing.

        Raises:
            Invalid: on ``file``: the file has the wrong form.
            Conflict: the same file is being imported elsewhere.
        """
        reading = EpaReader(named=self._make, listed=self._listed)
        return FileImport(
            kind="vehicles",
            read_rows=reading.entries,
            save_rows=_kept,
            transaction=self.transaction,
            clock=self.clock,
        ).run(upload, options)

    def _declared(self, about: Make, model: str, year: int) -> Sequence[Engine]:
        """List the engines that makers declared to vPIC, where neither the table nor an import knows the model."""
        if not covers(about.years, year, newest=self._newest()):
            return ()
        spelled = (about.name, *about.also)
        return next(filter(None, (self.models_known.engines(name, model, year) for name in spelled)), ())

    def _make(self, make: str) -> Make:
        """Give what is known of a make; of one that is not listed, its name."""
        known = self.sold().get(make_key(make))
        return known or Make(name=make_name(make), years=())

    def _meant(self, make: str, model: str) -> Sequence[ModelEngines]:
        models = {known.name: known for known in self.table.list_for_make(make)}
        return [models[name] for name in match_names(models, model, make=make)]

    def _imported(self, make: str, model: str, year: int) -> Sequence[CatalogEntry]:
        with self.read() as work:
            return work.catalog.list_for_model(make=make, model=model, year=year)

    def _listed(self, make: str) -> Sequence[str]:
        return self._sold(self._make(make), None)

    def _sold(self, make: Make, year: int | None) -> Sequence[str]:
        known = {
            model: spans
            for spelled in (make.name, *make.also)
            for model, spans in self.models_known.models(spelled).items()
        }
        return listed_models(make, known, self.table.list_for_make(make.name), year, newest=self._newest())

    def _newest(self) -> int:
        return self.clock().year + 1


def _begins_with(trim: str, models: Container[Sequence[str]]) -> bool:
    words = words_key(trim)
    return any(words[:count] in models for count in range(1, len(words) + 1))


def _kept(work: CatalogWork, entries: Sequence[CatalogEntry]) -> int:
    return work.catalog.add(entries)
