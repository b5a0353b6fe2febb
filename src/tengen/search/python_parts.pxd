from tengen.search.evaluators cimport PlayoutEvaluator
from tengen.search.parts cimport Evaluator, Pruner, Selector, Simulation
from tengen.search.store cimport Store


cdef class PythonSelector(Selector):
    cdef readonly object part
    cdef readonly list errors


cdef class PythonPruner(Pruner):
    cdef readonly object part
    cdef readonly list errors


cdef class PythonEvaluator(PlayoutEvaluator):
    cdef readonly object part
    cdef readonly list errors
